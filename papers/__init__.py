"""The papers behind rowtrust, reproduced: their protocols, tables and figures."""
