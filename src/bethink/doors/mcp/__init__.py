"""MCP: the memory as tools, resources and a prompt, over stdio or HTTP. Like every door it
translates and never decides; whoever may do what is said by the desk."""
