import type { Config } from '@zatgate/server/config/settings'
import type { DemoFile } from './demo.ts'

/** What a first look at the sandbox shows: where to go, what to use, and the first three commands. */
export function bannerOf(demo: DemoFile, { autoMineSecs, dataDir }: Pick<Config, 'autoMineSecs' | 'dataDir'>): string {
  const mining =
    autoMineSecs > 0 ? `a block every ${autoMineSecs} s, and whenever you ask` : 'a block whenever you ask for one'
  const post = `curl -s -H 'Content-Type: application/json'`
  return `
  zatgate sandbox: a simulated Zcash network, no real coins

  Dashboard        ${demo.api_url}/sign-in  (${demo.email}; the code is in the mailbox)
  Mailbox          ${demo.sandbox_url}/mail
  API reference    ${demo.api_url}/openapi.json
  API key          ${demo.api_key}
  Session token    ${demo.session_token}
  Sandbox control  ${demo.sandbox_url}  (${mining})
  Data             ${dataDir}  (these figures: sandbox.json)

  A first invoice, its payment, and three blocks:

    ${post} -H 'Authorization: Bearer ${demo.api_key}' ${demo.api_url}/v1/invoices -d '{"amount_zat": 150000}'
    ${post} ${demo.sandbox_url}/pay -d '{"uri": "<zip321_uri of the answer>"}'
    ${post} ${demo.sandbox_url}/mine -d '{"blocks": 3}'

  Ctrl-C stops it; the next start goes on where this one ended.

`
}
