import type { Messages } from '../../message.ts'

/** The pages around the guides and the reference of the API. */
export const guides = {
  api_reference: 'API reference',
  guides: 'Guides',

  guides_lead: 'The guides are for merchants and their developers. The tests of zatgate run their commands and code.',

  the_block: 'this block',

  file_missing: 'choose a file',

  https_open: 'open {url}',
  https_proxy:
    'put a proxy with https in front of zatgate and set PUBLIC_URL to its address, or open http://localhost on the machine itself',
} as const satisfies Messages
