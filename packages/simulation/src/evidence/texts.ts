/** The titles of the parts, in the order of the document. */
export const THEMES: Readonly<Record<string, string>> = {
  sale: 'invoices and payments',
  chain: 'chain',
  process: 'processes and databases',
  swap: 'swaps',
  billing: 'plans',
  withdrawal: 'withdrawals',
  refund: 'refunds',
  operator: 'backups, keys, exports',
  webhook: 'webhooks',
  mail: 'mail',
  'sign-in': 'sign-in, API keys',
  deletion: 'deletion of accounts',
  event: 'events',
  feed: 'the feed of events',
  endpoint: 'endpoints',
  websocket: 'WebSockets',
  poison: 'rows that cannot be processed',
  world: 'the whole service',
}

/** @param date of the run, YYYY-MM-DD */
export function introduction(commit: string, date: string): string {
  return `# Evidence

How zatgate's promises about money are tested, and with what result. \`npm run evidence\` made this page from a run of commit ${commit} on ${date}. Later changes are not in it.

The simulation runs the real services, workers and SQL of zatgate on a simulated environment: chain and chain servers, wallets, databases, clocks, merchants, swap
providers, exchange rates, webhook receivers and mail. A seed decides all actions, all faults and the order of concurrent code, and repeats its run to the byte. After
every commit, a judge compares the database with what really happened. It follows only the promises and shares no code with the service's rules. At the end of a
run all faults end, and everything must settle in bounded time.

| command | |
|---|---|
| \`npm run simulate -- --minutes 10\` | as many runs as fit, from a new seed on |
| \`npm run simulate -- --seed 17\` | one run with its story; a failure is reduced to the steps it needs |
| \`npm run mutants -- --simulation\` | puts one deliberate bug at a time into the service; the simulation must find each |
| \`npm run evidence -- --seed 1 --seeds 20000\` | runs the seeds and these mutants, and writes this page if every rule held |`
}

export const NOT_COVERED = `## What this does not cover

- The simulation finds defects and does not prove their absence. It tests nothing that is missing above.
- Cryptography: simulated notes are not encrypted. Keys, addresses and decryption are tested with the official vectors.
- Protocols and programs: gRPC, HTTP, SMTP, WebSockets, browsers, a real PostgreSQL and a real lightwalletd are used by other tests. The simulated PostgreSQL passes the
  same tests of concurrency as the real one; it knows the statements of zatgate only.
- Sessions that reach their 30 days, and the command line as a separate process. Other tests cover these.
- Damaged files, and databases that lose commits which they have confirmed. Restored backups are covered.
- Load, memory and speed: see \`packages/server/bench\`.`
