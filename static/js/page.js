// Everything that pages do beyond what HTML does by itself. Without it they still work, by forms and links.
import "./socket.js";
import "./notices.js";
import "./composer.js";
import "./requests.js";
import "./scrolling.js";
import "./panel.js";
import "./editing.js";
import "./planning.js";
import "./presence.js";
import "./copying.js";
import "./times.js";
import "./links.js";
import "./keys.js";
import "./said.js";
import "./unfolding.js";
import "./unsent.js";
import "./sights.js";
