import fastify from 'fastify'
import type { Access } from '../../src/http/access.ts'
import type { App } from '../../src/http/app.ts'
import type { SiteDeps } from '../../src/web/context.ts'
import { addSite } from '../../src/web/site.ts'

/** Stands in for all dependencies: routes read them on registration but use them only later. */
const anything: SiteDeps = new Proxy((() => anything) as unknown as SiteDeps, { get: () => anything })

/** Each page, such as `GET /i/:id`, with its access. The assets are left out. */
export async function registeredPages(): Promise<[line: string, access: Access | undefined][]> {
  const app = fastify()
  const lines: [string, Access | undefined][] = []
  app.addHook('onRoute', ({ method, url, config }) => {
    for (const verb of [method].flat()) if (verb !== 'HEAD') lines.push([`${verb} ${url}`, config?.access])
  })
  addSite(app as unknown as App, anything)
  await app.ready()
  return lines.filter(([line]) => !line.startsWith('GET /assets/'))
}
