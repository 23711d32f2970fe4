import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import {
  STORE_FIELDS,
  type StoreChange,
  type StoreMembers,
  type StoreProfile,
} from '../../../domain/account/store-profile.ts'
import { wireFields } from '../../../domain/field.ts'
import type { StoreProfiles } from '../../../services/account/store-profile.ts'
import type { App } from '../../app.ts'
import { accountOf, actorOf } from '../../auth.ts'
import {
  changeMembers,
  fieldSchema,
  type MemberSchemas,
  nullable,
  responses,
  wireBody,
  wireObject,
} from '../../schema.ts'

const PATH = '/v1/account/store'
export const MAX_LOGO_FILE_BYTES = 1024 * 1024

const FIELDS = wireFields(STORE_FIELDS)

const StoreSchema = wireObject<Wire.Store>()('Store', {
  ...(Object.fromEntries(
    [...FIELDS].map(([wire, [, field]]) => [wire, fieldSchema(field)]),
  ) as MemberSchemas<StoreMembers>),
  logo_url: nullable(Type.String({ description: 'A PNG of at most 512 pixels a side.' })),
})

const UpdateStoreSchema = wireBody<Wire.UpdateStoreRequest>()('UpdateStoreRequest', changeMembers(STORE_FIELDS))

/** The address of a logo. */
export function logoPath(hash: string): string {
  return `/logo/${hash}.png`
}

function presentStore(profile: StoreProfile, publicUrl: string): Wire.Store {
  const members = [...FIELDS].map(([wire, [name]]) => [wire, profile[name as keyof StoreProfile]])
  const logoUrl = profile.logo === null ? null : `${publicUrl}${logoPath(profile.logo)}`
  return { ...(Object.fromEntries(members) as StoreMembers), logo_url: logoUrl }
}

function parseChange(body: Wire.UpdateStoreRequest): StoreChange {
  const given = Object.entries(body).map(([wire, value]) => [FIELDS.get(wire)![0], value])
  return Object.fromEntries(given) as StoreChange
}

interface Deps {
  readonly storeProfiles: StoreProfiles
  readonly publicUrl: () => string
}

export function storeProfileRoutes(app: App, { storeProfiles, publicUrl }: Deps): void {
  const common = { tags: ['account'], response: responses(StoreSchema) }
  const errors = ['account_being_deleted', 'too_many_changes'] as const
  const present = (profile: StoreProfile) => presentStore(profile, publicUrl())

  app.get(
    PATH,
    {
      config: { rate: 'session', access: 'session' },
      schema: {
        ...common,
        operationId: 'getStore',
        summary: 'Read the store profile',
        description: 'How the shop appears to its buyers, and the defaults of its invoices.',
      },
    },
    async request => present(await storeProfiles.ofAccountId(accountOf(request).id)),
  )

  app.patch(
    PATH,
    {
      config: { rate: 'session', access: 'session', errors },
      schema: {
        ...common,
        operationId: 'updateStore',
        summary: 'Change the store profile',
        description:
          'Members that are absent stay, and null clears one. The defaults apply to invoices created from now on.',
        body: UpdateStoreSchema,
      },
    },
    async request => {
      const change = parseChange(request.body)
      return present(await storeProfiles.change(accountOf(request), change, publicUrl(), actorOf(request)))
    },
  )

  // Only here a body may be something else than JSON.
  app.register(async scope => {
    scope.removeAllContentTypeParsers()
    const parser = { parseAs: 'buffer', bodyLimit: MAX_LOGO_FILE_BYTES } as const
    scope.addContentTypeParser('*', parser, (_request, body, done) => done(null, body))
    scope.put(
      `${PATH}/logo`,
      {
        bodyLimit: MAX_LOGO_FILE_BYTES,
        validatorCompiler: () => () => true,
        config: {
          rate: 'viewing-key',
          access: 'session',
          errors: ['unsupported_media_type', 'invalid_logo', 'body_too_large', ...errors],
        },
        schema: {
          ...common,
          operationId: 'setStoreLogo',
          summary: 'Set the logo',
          description:
            'A PNG, JPEG or WebP image of at most 1 MiB and 4,096 pixels a side, whatever `Content-Type` says. Its pixels are stored as a PNG of at most 512 pixels a side and 256 KiB, and nothing else of it.',
          consumes: ['application/octet-stream'],
          body: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }),
        },
      },
      async request => {
        const file = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        return present(await storeProfiles.setLogo(accountOf(request), file, actorOf(request)))
      },
    )
  })

  app.delete(
    `${PATH}/logo`,
    {
      config: { rate: 'session', access: 'session', errors },
      schema: { ...common, operationId: 'removeStoreLogo', summary: 'Remove the logo' },
    },
    async request => present(await storeProfiles.removeLogo(accountOf(request), actorOf(request))),
  )
}
