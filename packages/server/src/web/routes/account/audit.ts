import type { Site } from '../../context.ts'
import { queryFields } from '../../forms.ts'
import { activityPage } from '../../pages/account/audit.ts'
import { paginate } from '../../paginate.ts'

const PAGE_SIZE = 50
const PATH = '/activity'

export function activityPages(site: Site): void {
  const { auditLog } = site.deps

  site.page('GET', PATH, async (request, _reply, user) => {
    const before = parseEntryId(queryFields(request).before)
    const { items, olderThan } = await paginate({
      size: PAGE_SIZE,
      before: before?.toString(),
      read: ({ limit }) => auditLog.list({ accountId: user.account.id }, limit, before),
      publicId: ({ id }) => String(id),
    })
    return activityPage(site.pageUser(user), {
      entries: items,
      current: user.session.publicId,
      newest: before === undefined ? null : PATH,
      older: olderThan && `${PATH}?before=${olderThan}`,
    })
  })
}

/** Anything else than an id shows the newest entries. */
function parseEntryId(text = ''): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
