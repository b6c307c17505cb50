"""The web beside the knowledge base: a provider is asked, its pages are read and ranked."""

from bethink.knowledge.web.results import WebResult, WebSearch
from bethink.knowledge.web.stage import CHANNEL, SearchWeb, web_stage

__all__ = ["CHANNEL", "SearchWeb", "WebResult", "WebSearch", "web_stage"]
