import type { Messages } from '../../message.ts'

/** Sign-in, the email of an account, its sessions, its activity and its deletion. */
export const account = {
  sign_in: 'Sign in',
  sign_in_about:
    'zatgate takes Zcash payments for shops: it creates invoices, sees them paid into your own wallet, and tells your server. It never holds your money. [How it works](guides)',
  sign_in_how: 'We email you a one-time code. There is no password. Your first sign-in creates your account.',
  sign_in_for_plugin: 'Sign in to connect your shop. You then see what its plugin asks for, and allow it or not.',
  email_code: 'Email me a code',
  sign_in_sandbox: 'Sandbox: use any email address. No email leaves this machine.',
  enter_code: 'Enter your code',
  enter_code_text:
    'If this address can sign in, we have emailed it a code. The code is valid for ten minutes, in this browser only.',
  no_email: 'No email? [Request another code](link).',

  email_reserved:
    'The email of your account was changed less than seven days ago. We mailed you a link that undoes it.',
  https_needed: 'This browser keeps no sign-in over plain http. Open this page over https.',
  no_code_requested:
    'This browser has not requested a code, or its request is older than ten minutes, or it blocks cookies. Allow them, and request another code here.',
  wrong_code: 'The code is incorrect or has expired. Try again, or request another code.',

  link_not_valid: 'This link is not valid',
  sign_in_link_used:
    'A sign-in link works once, within ten minutes. This one was used already, it is older, or part of it is missing.',
  sign_in_link_again:
    'The operator of this service gets a new link with {command}. Where mail works, you can [sign in with a code](link).',
  sign_in_link_text: 'This signs you in as *{email}*. The link works once.',

  confirm_identity: 'Confirm your identity',
  confirm_identity_text:
    'This change requires a new code. We have emailed one to *{email}*. It is valid for ten minutes.',
  confirm: 'Confirm',

  account: 'Account',
  email_used: 'You sign in with *{email}*, and notifications are mailed to it.',
  email_new: 'New email',
  email_new_hint:
    'We mail a code to the present and one to the new address. For seven days after the change, the present address can undo it.',
  email_change: 'Change email',
  email_confirm: 'Confirm your new email',
  email_codes: 'We have emailed two codes. They are valid for ten minutes.',
  email_code_sent: 'Code sent to {email}',

  deletion_request: 'Delete account',
  deletion_export: '[Export your invoices and refunds](link) first: you cannot do it afterwards.',
  deletion_keys: 'Your API keys are revoked and all sessions end now.',
  deletion_invoices:
    'Open invoices stay watched, and your webhook is called for them, until none of them can change any more.',
  deletion_data:
    'After that, and not before seven days, your email, viewing keys, webhook and activity are deleted. Invoices keep their amounts, without a name.',
  deletion_keepable: 'Until then you can sign in and keep the account.',
  deletion_email: 'Enter your email to confirm',
  deletion_email_hint: 'It is {email}.',
  deletion_pending: 'This account is being deleted',
  deletion_pending_text:
    'It is deleted on {time} or later, when none of its invoices, orders, refunds and deliveries can change any more. Nothing can be changed until you keep it. You can still [export your invoices and refunds](link).',
  deletion_new_keys: 'If you keep it, create new API keys: the earlier ones stay revoked.',
  deletion_keep: 'Keep the account',
  deletion_requested: 'Your account will be deleted',
  deletion_requested_text:
    'You are signed out. The account is deleted on {time} or later, when none of its invoices can change any more.',
  deletion_requested_keep: 'To keep it, [sign in](link) before then and open Account.',

  email_changed: 'Email changed. The previous address can undo this for seven days.',
  deletion_kept: 'The account is kept. Create new API keys: the earlier ones stay revoked.',
  deletion_email_wrong: 'Enter the email of this account to confirm its deletion.',

  undo_email_used: 'It was used already, it is older than seven days, or a newer mail replaced it.',
  undo_email_contact: 'If your account is still not yours, contact the operator of this service.',
  undo_email: 'Undo the change of your email',
  undo_email_text: 'This gives the account back to *{email}*.',
  undo_email_sessions: 'All sessions end, also your own, and session tokens of scripts.',
  undo_email_keys: 'All API keys are revoked: your shop cannot create invoices until you create new ones.',
  undo_email_deletion: 'A deletion of the account is canceled.',
  undo_email_final: 'This cannot be undone with another link.',
  undo_email_confirm: 'Undo the change',
  undo_email_done: 'The change is undone',
  undo_email_done_text:
    'The account has the email *{email}* again. All sessions are ended and all API keys are revoked.',
  undo_email_next:
    'Someone else may have changed your account. [Sign in](link), look at the activity, set your viewing key and webhook again if they are not yours, and create new API keys.',

  sessions: 'Sessions',
  session_token_new: 'New session token “{name}”',
  session_token_hint: 'It can do everything that you can do in the dashboard, for 30 days. It is shown only once.',
  sessions_lead: 'The browsers and scripts that are signed in to your account. A session ends after 30 days.',
  sessions_active: 'Active sessions',
  sign_out_everywhere: 'Sign out everywhere',
  sign_out_everywhere_text:
    'This ends every session, also this one and the tokens of your scripts. API keys keep working.',
  sign_out_everywhere_question: 'Sign out everywhere?',
  sign_out_everywhere_effect:
    'Every browser has to sign in again, and the tokens of your scripts stop working at once.',
  forget_browsers_text:
    'If someone else used one of your browsers, let zatgate forget all other browsers too. This requires a new code. Strangers who request many codes for your email can delay a sign-in in a browser that is forgotten.',
  forget_browsers: 'Sign out everywhere and forget other browsers',
  forget_browsers_question: 'Sign out and forget all other browsers?',
  forget_browsers_confirm: 'Sign out and forget',
  session_token_name: 'Name of a new session token',
  session_token_name_hint:
    'For scripts that use the endpoints under /v1/account. Choose a name that you will recognise, such as “nightly export”.',
  session_token_issue: 'Issue session token',
  session_this: 'this session',
  session_end: 'End',
  session_end_name: 'End the session {name}',
  session_end_question: 'End the session “{name}”?',
  session_end_this: 'This is the session of this browser. You will be signed out.',
  session_end_other: 'It is signed out at once. A token of a script stops working.',
  session_end_confirm: 'End session',
  session: 'Session',
  session_started: 'Started',
  session_ends: 'Ends',

  session_ended: 'Session ended.',

  activity: 'Activity',
  activity_lead:
    'Sign-ins and changes of your account. If you do not recognise one, end its session under [Sessions](link) and undo the change.',
  activity_recent: 'Recent activity',
  activity_none: 'No activity yet.',
  activity_what: 'Event',
  activity_when: 'Time',
  activity_from: 'From',
  activity_operator: 'the operator of this service',
  activity_service: 'this service',
  activity_unknown: 'unknown program',
  activity_with_key: 'with an API key',
} as const satisfies Messages
