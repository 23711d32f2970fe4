import { setupManifest } from '@start9labs/start-sdk'

/** The image is built from this checkout; the mailbox is used only while no mail server is configured. */
export const manifest = setupManifest({
  id: 'zatgate',
  title: 'zatgate',
  license: 'MIT',
  packageRepo: 'https://example.com/zatgate',
  upstreamRepo: 'https://example.com/zatgate',
  marketingUrl: 'https://example.com/zatgate',
  donationUrl: null,
  description: {
    short: 'Invoices for shielded Zcash, without custody',
    long:
      'Your shop creates an invoice, the buyer pays its own shielded address from any wallet, and zatgate sees the payment ' +
      'with your viewing key alone. It reports payments over HTTP, WebSocket and signed webhooks. It has no spending key, ' +
      'so it never holds coins.',
  },
  volumes: ['main', 'secrets', 'mail'],
  images: {
    zatgate: {
      source: { dockerBuild: { workdir: '../..', dockerfile: '../docker/Dockerfile' } },
      arch: ['x86_64', 'aarch64'],
    },
    mailbox: {
      source: { dockerTag: 'axllent/mailpit:v1.27.11' },
      arch: ['x86_64', 'aarch64'],
    },
  },
  dependencies: {},
})
