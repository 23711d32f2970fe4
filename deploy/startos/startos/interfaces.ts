import { sdk } from './sdk.ts'

export const HOST_ID = 'main'
export const INTERFACE_ID = 'web'
export const PORT = 3000

export const setInterfaces = sdk.setupInterfaces(async ({ effects }) => {
  const origin = await sdk.MultiHost.of(effects, HOST_ID).bindPort(PORT, { protocol: 'http' })
  const web = sdk.createInterface(effects, {
    name: 'Web pages and API',
    id: INTERFACE_ID,
    description: 'The dashboard, the checkout pages of your buyers, and the API at /v1. Sign in over https.',
    type: 'ui',
    masked: false,
    schemeOverride: null,
    username: null,
    path: '',
    query: {},
  })
  return [await origin.export([web])]
})
