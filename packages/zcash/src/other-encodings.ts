import { ZcashError } from './errors.ts'

/** One recognized encoding: its pattern, matched against lower-case text, and the error it gives. */
type Rejection = readonly [pattern: RegExp, code: 'unsupported_revision' | 'wrong_kind', message: string]

const VIEWING_KEYS = 'uview1…, uivk1…, uvf1… or uvi1…'
const KEEP_SECRET = `can spend the money: never paste it anywhere, and give a viewing key (${VIEWING_KEYS}) instead`
const EXPECTED = `a unified viewing key (${VIEWING_KEYS}) or address (u1…) is needed`

/**
 * Encodings that are neither a unified address nor a unified viewing key, or that have an unsupported revision. The
 * first match counts.
 */
const REJECTIONS: readonly Rejection[] = [
  [/^secret-/, 'wrong_kind', `is a spending key, which ${KEEP_SECRET}`],
  // Wallets export it in hexadecimal or base64, as bytes that begin with the little-endian branch id of NU5.
  [
    /^(b4d0d6c2[0-9a-f]{32,}|tndwwg[0-9a-z+/_=-]{32,})$/,
    'wrong_kind',
    `is a unified spending key, which ${KEEP_SECRET}`,
  ],
  [/^[xt]prv[1-9a-z]{100,}$/, 'wrong_kind', `is a transparent spending key (xprv…), which ${KEEP_SECRET}`],
  [
    /^\s*(\d+[.):]?\s*)?\p{L}+(\s+(\d+[.):]?\s*)?\p{L}+){11,}\s*$/u,
    'wrong_kind',
    `looks like a seed phrase, which ${KEEP_SECRET}`,
  ],
  [
    /^ur(view|ivk)?(test|regtest)?1/,
    'unsupported_revision',
    `is a ZIP 316 Revision 1 encoding, which was withdrawn; Revision 0 (u1…, uview1…, uivk1…) and viewing keys of Revision 2 (uvf1…, uvi1…) are supported`,
  ],
  [
    /^(zu|tu)(test|regtest)?1/,
    'unsupported_revision',
    `is a ZIP 316 Revision 2 address; only addresses of Revision 0 (u1…) are supported, and a viewing key starts with ${VIEWING_KEYS}`,
  ],
  [/^(zxview|zivk)/, 'wrong_kind', `is a Sapling viewing key; ${EXPECTED}`],
  [/^(zs1|ztestsapling1|zregtestsapling1)/, 'wrong_kind', `is a Sapling address; ${EXPECTED}`],
  [/^z[ct][1-9a-z]{90,100}$/, 'wrong_kind', `is a Sprout address; ${EXPECTED}`],
  [
    /^[xt]pub[1-9a-z]{100,}$/,
    'wrong_kind',
    `is a transparent viewing key (xpub…), which cannot see shielded payments; ${EXPECTED}`,
  ],
  [/^(t[123m][1-9a-z]{20,40}$|tex(test|regtest)?1)/, 'wrong_kind', `is a transparent address; ${EXPECTED}`],
]

/**
 * Rejects text in a known encoding other than the supported unified ones: addresses and keys of other kinds, other ZIP
 * 316 revisions, seed phrases. Returns for any other text. The message names the encoding, warns if the text is a
 * secret, and never repeats the text.
 * @throws ZcashError `wrong_kind`, `unsupported_revision`
 */
export function rejectOtherEncodings(text: string): void {
  const lower = text.toLowerCase()
  const match = REJECTIONS.find(([pattern]) => pattern.test(lower))
  if (match !== undefined) throw new ZcashError(match[1], match[2])
}
