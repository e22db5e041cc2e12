"""The project's folder: root and path fence, ignore rules, git state."""

from app.project.fence import BadPath, OutsideProject, Project, ProjectError, find_project_root
from app.project.git import GitState, git_state

__all__ = [
    "BadPath",
    "GitState",
    "OutsideProject",
    "Project",
    "ProjectError",
    "find_project_root",
    "git_state",
]
