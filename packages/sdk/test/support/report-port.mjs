// Loaded before a recipe. Reports the port of the recipe's server to the parent process.
import { tracingChannel } from 'node:diagnostics_channel'

tracingChannel('net.server.listen').subscribe({
  asyncEnd: ({ server }) => process.send({ port: server.address().port }),
})
