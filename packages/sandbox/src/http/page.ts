import type { ServerResponse } from 'node:http'
import { Html, html } from '@zatgate/server/web/html'

/** A page for browsers. */
export interface Page {
  readonly title: string
  readonly body: Html
}

const STYLE = new Html(`
:root { color-scheme: light dark; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; }
article { border-top: 1px solid #8888; padding: 0.75rem 0; }
h1 { font-size: 1.5rem; } h2 { font-size: 1rem; margin: 0; }
table { border-collapse: collapse; width: 100%; } td { padding: 0.4rem 1rem 0.4rem 0; vertical-align: top; border-top: 1px solid #8888; }
code { overflow-wrap: anywhere; } strong { font-size: 1.4rem; letter-spacing: 0.1em; }
@media (max-width: 639px) { td { display: block; border: 0; padding: 0; } td:first-child { border-top: 1px solid #8888; padding-top: 0.4rem; } }
`)

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
}

/** Sends a page, which runs no script. */
export function sendPage(response: ServerResponse, { title, body }: Page): void {
  response.writeHead(200, HEADERS).end(
    String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`),
  )
}
