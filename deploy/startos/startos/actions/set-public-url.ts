import { HOST_ID, INTERFACE_ID, PORT } from '../interfaces.ts'
import { sdk } from '../sdk.ts'
import { settingsFile } from '../settings.ts'

const { InputSpec, Value } = sdk

export const setPublicUrl = sdk.Action.withInput(
  'set-public-url',
  {
    name: 'Set Public URL',
    description: 'Chooses the address for links in mails and checkout pages. Buyers must be able to reach it.',
    warning: null,
    allowedStatuses: 'any',
    group: null,
    visibility: 'enabled',
  },
  InputSpec.of({
    url: Value.dynamicSelect(async ({ effects }) => {
      const urls = await sdk.host
        .getOwn(effects, HOST_ID, host => {
          const address = host?.bindings[PORT]?.interfaces[INTERFACE_ID]?.addressInfo
          return (address?.nonLocal.format() ?? []).filter(url => url.startsWith('https:'))
        })
        .const()
      return {
        name: 'Public URL',
        description: 'Add a public domain to the interface first, if your buyers are outside your network.',
        values: Object.fromEntries(urls.map(url => [url, url])),
        default: urls[0] ?? '',
      }
    }),
  }),
  async () => ({ url: (await settingsFile.read(({ publicUrl }) => publicUrl).once()) || undefined }),
  async ({ effects, input }) => {
    await settingsFile.merge(effects, { publicUrl: input.url })
  },
)
