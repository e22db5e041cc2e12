"""The system message of a new chain, made once: what the agent is, where, by which documents."""

import platform
import shutil

from app.agent.prompts import Surroundings, system_parts
from app.conversation.messages import Message, TextPart
from app.ports import Publish
from app.project import GitState
from app.session.documents import read_documents
from app.session.parts import Parts


def system_message(parts: Parts, git: GitState | None, publish: Publish) -> Message:
    """The message.

    Args:
        parts: what the session is made of.
        git: the repository as it is now.
        publish: hears of documents that are cut or left out.
    """
    found = read_documents(parts.project, parts.paths.home, parts.words)
    texts = system_parts(
        parts.words,
        Surroundings(
            root=parts.project.root,
            today=parts.clock.now().astimezone().date(),
            system=platform.system(),
            shell="bash" if shutil.which("bash", path=parts.environ.get("PATH")) else "sh",
            git=git,
            documents=found.documents,
            attended=parts.allowance is None,
        ),
    )
    for notice in found.notices:
        publish(notice)
    return Message(parts.new_id(), "system", tuple(map(TextPart, texts)))
