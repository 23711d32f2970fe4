import { Type } from 'typebox'
import type { App } from '../app.ts'

export function healthRoutes(app: App): void {
  app.get(
    '/healthz',
    {
      config: { rate: 'unlimited' },
      schema: {
        summary: 'Check that the service is up',
        tags: ['service'],
        response: { 200: { content: { 'text/plain': { schema: Type.Literal('ok') } } } },
      },
    },
    (_request, reply) => {
      reply.type('text/plain; charset=utf-8')
      return 'ok' as const
    },
  )
}
