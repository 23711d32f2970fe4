import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { MAX_NAME_LENGTH } from '../../domain/credential.ts'
import { Id, named, noExtraFields, nullable, UnixSecs, wireSchema } from './common.ts'

const apiKeyMembers = {
  id: Id,
  name: Type.String(),
  last4: Type.String(),
  created_at: UnixSecs('Creation time.'),
  last_used_at: nullable(UnixSecs('Time of last use, to the minute; null if never used.')),
  revoked_at: nullable(UnixSecs('Time of revocation; null if active.')),
}

export const ApiKey = wireSchema<Wire.ApiKey>()(named('ApiKey', Type.Object(apiKeyMembers)))

export const CreatedApiKey = wireSchema<Wire.CreatedApiKey>()(
  named(
    'CreatedApiKey',
    Type.Object({ ...apiKeyMembers, key: Type.String({ description: 'The API key. Shown only once.' }) }),
  ),
)

export const CreateApiKey = wireSchema<Wire.CreateApiKeyRequest>()(
  named(
    'CreateApiKeyRequest',
    Type.Object({ name: Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH }) }, noExtraFields),
  ),
)
