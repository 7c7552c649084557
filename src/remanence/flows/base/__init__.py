"""What every wing shares: one open memory, its clocks, settings, leases, spending and names. Knows no verb."""
