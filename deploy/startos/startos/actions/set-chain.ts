import { DEFAULT_CHAIN_SERVERS } from '../environment.ts'
import { sdk } from '../sdk.ts'
import { settingsFile } from '../settings.ts'

const { InputSpec, Value } = sdk

export const setChain = sdk.Action.withInput(
  'set-chain',
  {
    name: 'Set Network and Chain Servers',
    description: 'Chooses Zcash or its testnet, and the light-client servers that show the chain.',
    warning: 'The network cannot be changed once accounts have viewing keys.',
    allowedStatuses: 'any',
    group: null,
    visibility: 'enabled',
  },
  InputSpec.of({
    network: Value.select({
      name: 'Network',
      values: { main: 'Zcash', test: 'Testnet' },
      default: 'main',
    }),
    chainServers: Value.text({
      name: 'Chain servers',
      description: 'One or more https URLs, separated by commas. With several, payments are confirmed by two.',
      required: true,
      default: DEFAULT_CHAIN_SERVERS,
      patterns: [{ regex: '^https?://[^,\\s]+(,https?://[^,\\s]+)*$', description: 'URLs, separated by commas' }],
      maxLength: 2_000,
    }),
  }),
  async () => (await settingsFile.read(({ network, chainServers }) => ({ network, chainServers })).once()) ?? {},
  async ({ effects, input }) => {
    await settingsFile.merge(effects, input)
  },
)
