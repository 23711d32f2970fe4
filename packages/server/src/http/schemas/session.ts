import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { Id, named, nullable, UnixSecs, wireSchema } from './common.ts'

export const Session = wireSchema<Wire.Session>()(
  named(
    'Session',
    Type.Object({
      id: Id,
      label: Type.String(),
      created_at: UnixSecs('Start time.'),
      expires_at: UnixSecs('Expiry time.'),
      last_used_at: nullable(UnixSecs('Time of last use, to the minute; null if never used.')),
    }),
  ),
)
