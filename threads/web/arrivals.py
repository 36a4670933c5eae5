"""The socket of a workspace's pages, which list the workspace's threads beside what they show."""

from artifacts.web import arrivals
from threads.sights import LISTED


class WorkspaceConsumer(arrivals.WorkspaceConsumer):
    """Says when the documents, the members or the threads of a workspace changed."""

    listed = LISTED
