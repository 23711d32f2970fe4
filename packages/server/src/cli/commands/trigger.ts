import { type AccountEvent, type Events, ZatgateClient } from '@zatgate/sdk'
import { systemClock } from '../../adapters/system/clock.ts'
import { EVENT_TYPES, type EventType } from '../../domain/notify/event.ts'
import { RawJson, stringify } from '../../domain/raw-json.ts'
import { EXPIRY_SECS } from '../../domain/sale/invoice.ts'
import { DAY_SECS } from '../../domain/time.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Context } from '../context.ts'
import { newestSeq } from '../newest-event.ts'
import { table } from '../output.ts'
import { readSandboxFile, type SandboxFile } from '../sandbox-file.ts'
import { withServices } from '../services.ts'
import { type SandboxStage, TRIGGERS } from '../trigger-steps.ts'

/** Longer than an invoice without a payment can take to expire, which is the slowest event. */
const APPEARS_WITHIN_MS = (EXPIRY_SECS.min + 120) * 1000

/** Lists the types, or makes an event of one happen in the running sandbox and prints it as the feed has it. */
export async function trigger(
  { type }: { readonly type: EventType | undefined },
  context: Context,
  clock: Clock = systemClock,
): Promise<void> {
  const { out } = context
  if (type === undefined) {
    const rows = EVENT_TYPES.map(name => ({ type: name, does: TRIGGERS[name].does }))
    const cells = rows.map(row => [row.type, row.does])
    return out.result(rows, table(['type', 'trigger'], cells))
  }
  const sandbox = readSandboxFile(context)
  if (!sandbox)
    throw new Error(
      'no sandbox was started here: run npm start, and this command with the same DATA_DIR and no NETWORK',
    )
  const { api_url: baseUrl, api_key: apiKey, session_token: sessionToken } = sandbox
  const client = new ZatgateClient({ baseUrl, apiKey, sessionToken })
  const after = await newestSeq(client.events)
  const seen = (wanted: EventType, id: string) => firstOf(client.events, { after, type: wanted, id }, clock)
  const stage: SandboxStage = {
    client,
    seen,
    control: (path, body) => control(sandbox, path, body),
    height: async () => Number((await control(sandbox, '/chain')).height),
    changePlan: () => changePlan(sandbox, context, clock),
    note: out.note,
  }
  const event = await seen(type, await TRIGGERS[type].run(stage))
  await out.write(`${textOf(event)}\n`)
}

interface Wanted {
  readonly after: number
  readonly type: EventType
  readonly id: string
}

/** @throws Error when it does not appear in time */
async function firstOf(events: Events, { after, type, id }: Wanted, clock: Clock): Promise<AccountEvent> {
  const ended = new AbortController()
  const late = new AbortController()
  void clock.sleep(APPEARS_WITHIN_MS, ended.signal).then(() => late.abort())
  try {
    for await (const event of events.follow({ after, types: [type], signal: late.signal }))
      if (event.rawBody.includes(id)) return event
  } finally {
    ended.abort()
  }
  throw new Error(`the event ${type} did not appear within ${APPEARS_WITHIN_MS / 1000} s`)
}

/** A call of the sandbox's control API: a POST with a body, otherwise a GET. */
async function control({ sandbox_url: url }: SandboxFile, path: string, body?: object) {
  const request = body && {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
  const response = await fetch(url + path, { ...request, signal: AbortSignal.timeout(APPEARS_WITHIN_MS) }).catch(() => {
    throw new Error(`the sandbox does not respond at ${url}: it is started by npm start`)
  })
  const result = (await response.json()) as Readonly<Record<string, unknown>>
  if (!response.ok) throw new Error(`the sandbox refused ${path}: ${result.message}`)
  return result
}

/** The account of the sandbox has a plan without an end, which it cannot change itself. */
async function changePlan({ email }: SandboxFile, context: Context, clock: Clock): Promise<void> {
  await withServices(context, async ({ accounts }) => {
    const { plan, planExpiresAt } = await accounts.findByEmail(email)
    await accounts.setPlan(email, plan, planExpiresAt === null ? nowSecs(clock) + 365 * DAY_SECS : null)
    await accounts.setPlan(email, plan, planExpiresAt)
  })
}

function textOf({ seq, id, type, created_at, rawBody }: AccountEvent): string {
  return stringify({ seq, id, type, created_at, body: new RawJson(rawBody) })
}
