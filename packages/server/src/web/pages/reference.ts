import type { JsonObject } from '../../http/openapi/shared-schemas.ts'
import { docsContents } from '../components/docs-contents.ts'
import { referencePage as frame } from '../components/layout.ts'
import { DOCS } from '../components/nav.ts'
import { type DescribedOperation, operationSection, webhookHeaders, webhookSection } from '../components/operation.ts'
import { prose } from '../components/prose.ts'
import { type Resolve, resolver } from '../components/schema-table.ts'
import { type Html, html } from '../html.ts'

interface Group {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly operations: readonly DescribedOperation[]
}

/** The tag of the webhooks, and of the operations that read events: one section of the page. */
const EVENTS = 'events'

/**
 * The reference of the API, from its OpenAPI document.
 * @param url the address of this service
 */
export function referencePage(document: JsonObject, url: string): Html {
  const groups = groupsOf(document).filter(({ name }) => name !== EVENTS)
  const reads = groupsOf(document)
    .filter(({ name }) => name === EVENTS)
    .flatMap(({ operations }) => operations)
  const resolve = resolver(document)
  const webhooks = Object.entries<JsonObject>(document.webhooks).map(([path, { post }]) => ({
    ...{ method: 'POST', path, operation: post },
  }))
  return frame({
    title: 'API reference',
    contents: html`${docsContents(DOCS.href)}${groups.map(contentsOf)}<h2><a href="#${EVENTS}">Events</a></h2><ul>${[...reads, ...webhooks].map(link)}</ul>`,
    body: html`<h1>API reference</h1>
      ${(document.info.description as string).split('\n\n').map(text => html`<p class="lead">${prose(text)}</p>`)}
      <p class="lead">For generators of clients: <a href="/openapi.json">openapi.json</a>.</p>
      ${groups.map(group => groupSection(group, url, resolve))}
      <h2 id="${EVENTS}">Events</h2>
      <p class="lead">Requests to the webhook of an account. ${prose(webhooks[0]?.operation.description ?? '')}</p>
      ${webhooks[0] && webhookHeaders(webhooks[0])}
      ${reads.map(operation => operationSection(operation, url, resolve))}
      ${webhooks.map(webhook => webhookSection(webhook, resolve))}`,
  })
}

function groupsOf({ tags, paths }: JsonObject): Group[] {
  const operations = Object.entries<JsonObject>(paths).flatMap(([path, methods]) =>
    Object.entries<JsonObject>(methods).map(([method, operation]) => ({
      ...{ method: method.toUpperCase(), path, operation },
    })),
  )
  return (tags as { name: string; description: string }[])
    .map(({ name, description }) => ({
      ...{ name: name.replaceAll(' ', '-'), title: name.charAt(0).toUpperCase() + name.slice(1), description },
      operations: operations.filter(({ operation }) => operation.tags.includes(name)),
    }))
    .filter(group => group.operations.length > 0)
}

function contentsOf({ name, title, operations }: Group): Html {
  return html`<h2><a href="#${name}">${title}</a></h2><ul>${operations.map(link)}</ul>`
}

function link({ path, operation }: DescribedOperation): Html {
  const isWebhook = !path.startsWith('/')
  return html`<li><a href="#${operation.operationId}">${isWebhook ? path : operation.summary}</a></li>`
}

function groupSection({ name, title, description, operations }: Group, url: string, resolve: Resolve): Html {
  return html`<h2 id="${name}">${title}</h2><p class="lead">${description}</p>
    ${operations.map(operation => operationSection(operation, url, resolve))}`
}
