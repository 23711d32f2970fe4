import type { Config } from '@zatgate/server/config/settings'
import type { DemoFile } from './demo.ts'

/** The text that `npm start` prints: links, credentials, and three commands to try. */
export function formatBanner(
  demo: DemoFile,
  { autoMineSecs, dataDir }: Pick<Config, 'autoMineSecs' | 'dataDir'>,
): string {
  const mining = autoMineSecs > 0 ? `mines a block every ${autoMineSecs} s and on request` : 'mines blocks on request'
  const post = `curl -s -H 'Content-Type: application/json'`
  return `
  zatgate sandbox: a simulated Zcash network, no real coins

  Dashboard        ${demo.api_url}/sign-in  (${demo.email}; the code is in the mailbox)
  Mailbox          ${demo.sandbox_url}/mail
  API reference    ${demo.api_url}/docs
  API key          ${demo.api_key}
  Session token    ${demo.session_token}
  Sandbox control  ${demo.sandbox_url}  (${mining})
  Data             ${dataDir}  (sandbox.json holds these values)

  Create an invoice, pay it, and mine three blocks:

    ${post} -H 'Authorization: Bearer ${demo.api_key}' ${demo.api_url}/v1/invoices -d '{"amount_zat": 150000}'
    ${post} ${demo.sandbox_url}/pay -d '{"uri": "<zip321_uri from the response>"}'
    ${post} ${demo.sandbox_url}/mine -d '{"blocks": 3}'

  Ctrl-C stops the sandbox. The next start continues with the same data.

`
}
