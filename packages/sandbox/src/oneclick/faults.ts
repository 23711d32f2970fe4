import type { ServerResponse } from 'node:http'
import { sendBulk, sendJson } from '../http/response-body.ts'
import type { ScriptedResponse } from './script.ts'

const TOO_MUCH_BYTES = 1_000_000_000

const FAULTY_RESPONSES: Readonly<Record<ScriptedResponse, (response: ServerResponse) => void>> = {
  bad_request: response => sendJson(response, 400, { message: 'refundTo is not valid' }),
  bad_request_list: response =>
    sendJson(response, 400, { message: ['amount must be a string', 'refundTo should not be empty'] }),
  unauthorized: response => sendJson(response, 401, { message: 'Unauthorized - API key or JWT token is invalid' }),
  forbidden_html: response => sendHtml(response, 403, 'Request blocked'),
  too_many_requests: response => {
    response.setHeader('retry-after', '1')
    sendJson(response, 429, { message: 'ThrottlerException: Too Many Requests' })
  },
  bad_gateway_html: response => sendHtml(response, 502, 'Bad Gateway'),
  not_json: response => sendHtml(response, 200, 'It works!'),
  hang: () => undefined,
  reset: response => response.socket?.resetAndDestroy(),
  cut_off: response => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write('{"quote":{"amountIn":"1', () => response.destroy())
  },
  too_much: response => {
    response.setHeader('content-type', 'application/json')
    void sendBulk(response, TOO_MUCH_BYTES)
  },
  redirect: response => response.writeHead(302, { location: '/elsewhere' }).end(),
}

/** Sends a scripted faulty response. */
export function sendFaultyResponse(kind: ScriptedResponse, response: ServerResponse): void {
  FAULTY_RESPONSES[kind](response)
}

function sendHtml(response: ServerResponse, status: number, title: string): void {
  const page = `<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`
  response.writeHead(status, { 'content-type': 'text/html' }).end(page)
}
