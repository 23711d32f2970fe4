import { AppError } from '../../../domain/error.ts'
import { EVENT_TYPES } from '../../../domain/notify/event.ts'
import type { Site } from '../../context.ts'
import { idParam, queryFields } from '../../forms.ts'
import { eventPage } from '../../pages/notify/event.ts'
import { eventsPage } from '../../pages/notify/event-list.ts'
import { numberIn, numberOf, pagerLinks, paginate } from '../../paginate.ts'

const PATH = '/events'
const PAGE_SIZE = 25

export function eventPages(site: Site): void {
  const { eventLog } = site.deps

  site.page('GET', PATH, async (request, _reply, user) => {
    const { before, after, ...query } = queryFields(request)
    const type = EVENT_TYPES.find(name => name === query.type) ?? null
    const page = await paginate({
      size: PAGE_SIZE,
      place: { before: numberIn(before), after: numberIn(after) },
      read: ({ limit, ...place }) => {
        const [first, last] = [numberOf(place.before), numberOf(place.after)]
        const numbers = { ...(first !== undefined && { before: first }), ...(last !== undefined && { after: last }) }
        return eventLog.list(user.account, { limit, ...numbers }, type ?? undefined)
      },
      idOf: ({ event }) => String(event.seq),
    })
    return eventsPage(site.pageUser(user), {
      events: page.items,
      type,
      ...pagerLinks(PATH, page, { type: type ?? '' }),
    })
  })

  site.page('GET', `${PATH}/:id`, async (request, _reply, user) => {
    const seq = numberOf(numberIn(idParam(request)))
    if (seq === undefined) throw new AppError('no_such_page')
    return eventPage(site.pageUser(user), await eventLog.read(user.account, seq))
  })
}
