import type { Change } from '../mutant.ts'

export const SIGN_IN: readonly Change[] = [
  {
    name: 'a wrong sign-in code undoes the count of its own attempt',
    file: 'services/account/one-time-code.ts',
    in: 'attempt',
    find: 'return { redeemed: null, spending }',
    replace: "throw new AppError('bad_code')",
    needs: ['sign-in'],
    withinSeeds: 3_000,
  },
  {
    name: 'a copied cookie of a known browser survives that all browsers are forgotten',
    file: 'services/account/known-browser.ts',
    in: 'recognise',
    find: 'return knownFrom !== null && found.issuedAt >= knownFrom ?',
    replace: 'return knownFrom !== null ?',
    killedBy: {
      file: 'services/account/sign-in/known-browser.test.ts',
      test: 'after a code, forgetting the browsers ends the copied cookies',
    },
  },
  {
    name: 'a browser that forgets the others keeps the id of its copied cookie',
    file: 'services/account/known-browser.ts',
    in: 'remember',
    find: 'const isKnown = found !== null && found.issuedAt >= knownFrom',
    replace: 'const isKnown = found !== null',
    killedBy: {
      file: 'services/account/sign-in/known-browser.test.ts',
      test: 'after a code, forgetting the browsers ends the copied cookies',
    },
  },
  {
    name: 'a session without a recent code forgets the browsers',
    file: 'services/account/sign-in.ts',
    in: 'forgetBrowsers',
    find: 'session.id)) <= at',
    replace: 'session.id)) < 0',
    killedBy: {
      file: 'services/account/sign-in/known-browser.test.ts',
      test: 'a session without a recent code ends all sessions and forgets no browser',
    },
  },
  {
    name: 'wrong codes in known browsers are not limited by day',
    file: 'services/account/code-budget.ts',
    in: 'spendAttempt',
    find: 'isAllowed: !isSpent(CODE_BUDGETS.known_wrong_codes, wrongBefore)',
    replace: 'isAllowed: wrongBefore >= 0',
    killedBy: {
      file: 'services/account/sign-in/known-browser.test.ts',
      test: 'ten wrong codes a day in known browsers of an email',
    },
  },
  {
    name: 'a withdrawal needs no recent code',
    file: 'http/routes/payout/withdrawal.ts',
    in: 'withdrawalRoutes',
    find: "access: 'recent-session'",
    replace: "access: 'session'",
    killedBy: {
      file: 'http/routes/account/recent-sign-in.test.ts',
      test: 'a stale browser token is refused as a bearer for every change that needs a code',
    },
  },
  {
    name: 'an API key works after its end',
    file: 'domain/account/api-key.ts',
    in: 'keyRefusal',
    find: "if (hasEnded(key, now)) return 'ended'",
    replace: '',
    killedBy: {
      file: 'http/routes/account/key-limits.test.ts',
      test: 'a scoped key ends when it was said to',
    },
  },
  {
    name: 'an API key works from every address',
    file: 'domain/account/api-key.ts',
    in: 'keyRefusal',
    find: "return 'elsewhere'",
    replace: 'return null',
    killedBy: {
      file: 'http/access.test.ts',
      test: 'of every route and every kind of credential',
    },
  },
  {
    name: 'a scoped API key needs no scope',
    file: 'domain/account/api-key.ts',
    in: 'hasScope',
    find: 'scope => scopes.includes(scope)',
    replace: '() => true',
    killedBy: {
      file: 'http/access.test.ts',
      test: 'of every route and every kind of credential',
    },
  },
]
