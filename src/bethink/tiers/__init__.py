"""From what an agent hears to what it knows: offers are logged in quarantine, filtered into working
memory, and promoted into long-term memory by hand or by rule. Every decision is kept."""
