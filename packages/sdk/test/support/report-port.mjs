// Loaded before a recipe: tells the parent process which port the recipe's server got.
import { tracingChannel } from 'node:diagnostics_channel'

tracingChannel('net.server.listen').subscribe({
  asyncEnd: ({ server }) => process.send({ port: server.address().port }),
})
