"""Bethink as a step of a workflow: history goes in before an agent works, its output is offered
afterwards."""
