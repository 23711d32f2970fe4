import { timingSafeEqual } from 'node:crypto'
import type { Session } from '../domain/account/session.ts'
import { AppError } from '../domain/error.ts'
import type { KeyedHash } from '../ports/keyed-hash.ts'
import type { FormFields } from './forms.ts'

const CONTEXT = 'form'

/** A value for the field `token` of a form, which only pages of this session contain. */
export function formToken(keyedHash: KeyedHash, { publicId }: Session): string {
  return Buffer.from(keyedHash.hash(CONTEXT, publicId)).toString('base64url')
}

/** @throws AppError `form_of_other_session` unless a page of this session contained the form */
export function checkFormToken(keyedHash: KeyedHash, { publicId }: Session, { token = '' }: FormFields): void {
  const sent = Buffer.from(token.slice(0, 100), 'base64url')
  const isValid = (hash: Uint8Array) => sent.length === hash.length && timingSafeEqual(sent, hash)
  if (!keyedHash.allHashes(CONTEXT, publicId).some(isValid)) throw new AppError('form_of_other_session')
}
