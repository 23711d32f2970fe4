import type { Site } from '../../context.ts'
import { queryFields } from '../../forms.ts'
import { activityPage } from '../../pages/account/audit.ts'
import { numberIn, numberOf, pagerLinks, paginate } from '../../paginate.ts'

const PAGE_SIZE = 50
const PATH = '/activity'

export function activityPages(site: Site): void {
  const { auditLog } = site.deps

  site.page('GET', PATH, async (request, _reply, user) => {
    const { before, after } = queryFields(request)
    const page = await paginate({
      size: PAGE_SIZE,
      place: { before: numberIn(before), after: numberIn(after) },
      read: ({ limit, before, after }) =>
        after === undefined
          ? auditLog.list({ accountId: user.account.id }, limit, numberOf(before))
          : auditLog.listAfter(user.account, limit, Number(after)),
      idOf: ({ id }) => String(id),
    })
    return activityPage(site.pageUser(user), {
      entries: page.items,
      current: user.session.publicId,
      ...pagerLinks(PATH, page),
    })
  })
}
