import { Type } from 'typebox'
import type { Readiness } from '../../services/readiness.ts'
import type { App } from '../app.ts'
import { named } from '../schema.ts'

const Check = named(
  'ReadinessCheck',
  Type.Object({
    name: Type.String({ description: '`database`, `migrations`, `chain` or `watcher`.' }),
    ok: Type.Boolean(),
    reason: Type.Optional(Type.String({ description: 'Why the check fails.' })),
  }),
)

const Checks = named('Readiness', Type.Object({ ready: Type.Boolean(), checks: Type.Array(Check) }))

export function healthRoutes(app: App, { readiness }: { readonly readiness: Readiness }): void {
  app.get(
    '/healthz',
    {
      config: { rate: 'unlimited', access: 'public' },
      schema: {
        operationId: 'checkHealth',
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

  app.get(
    '/readyz',
    {
      config: { rate: 'unlimited', access: 'public', probe: true },
      schema: {
        operationId: 'checkReadiness',
        summary: 'Check that this process can serve, with a reason for each failed check',
        description:
          'Status 503 when the database or its migrations fail, and in a process with the role `watcher` also when the ' +
          'chain is not seen. Without that role the chain is reported only.',
        tags: ['service'],
        response: { 200: Checks, 503: Checks },
      },
    },
    async (_request, reply) => {
      const { isReady, checks } = await readiness.check()
      reply.header('cache-control', 'no-store')
      return reply.code(isReady ? 200 : 503).send({
        ready: isReady,
        checks: checks.map(({ name, reason }) => ({ name, ok: reason === null, ...(reason !== null && { reason }) })),
      })
    },
  )
}
