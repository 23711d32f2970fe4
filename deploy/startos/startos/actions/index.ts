import { sdk } from '../sdk.ts'
import { check } from './check.ts'
import { createAccount } from './create-account.ts'
import { manageMail } from './manage-mail.ts'
import { setChain } from './set-chain.ts'
import { setPublicUrl } from './set-public-url.ts'
import { showMails } from './show-mails.ts'

export const actions = sdk.Actions.of()
  .addAction(createAccount)
  .addAction(showMails)
  .addAction(setPublicUrl)
  .addAction(manageMail)
  .addAction(setChain)
  .addAction(check)
