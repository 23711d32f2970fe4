import type { BuyerView } from '../../src/web/components/buyer/buyer-page.ts'
import { NO_SHOP } from '../../src/web/components/buyer/shop.ts'
import { textIn } from '../../src/web/text/text.ts'

/** A page in English of a shop that has set nothing, on the main network. */
export const BUYER: BuyerView = { text: textIn('en'), shop: NO_SHOP, embedding: null, isTest: false }

/** A page without the marks that isolate values from the text around them. */
export function withoutMarks(page: string): string {
  return page.replace(/<\/?bdi>/g, '')
}

/** The text of a page without markup, with single spaces. */
export function readerText(page: string): string {
  return page
    .replace(/<head>[\s\S]*?<\/head>|<svg[\s\S]*?<\/svg>/g, ' ')
    .replace(/<\/?(?:bdi|b|time|span|code)[^>]*>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
}
