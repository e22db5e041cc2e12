"""The main screen: conversation, prompt, context."""

from app.screens.chat.screen import ChatScreen

__all__ = ["ChatScreen"]
