import { type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'
import { copyable } from '../copyable.ts'
import { definitionList } from '../definition-list.ts'

export interface ShownKey {
  readonly name: string
  readonly key: string
  readonly storeId: string
  /** The address that plugins call the BTCPay Server URL. */
  readonly publicUrl: string
}

/** The values for a plugin's settings. The key is shown only once. */
export function pluginSettings({ name, key, storeId, publicUrl }: ShownKey): Html {
  return html`<section class="card once" aria-labelledby="once-title">
    <h2 id="once-title">${say('key_new', { name })}</h2>
    <p class="hint">${say('plugin_settings_hint')}</p>
    ${pairs([
      [plain('plugin_server'), publicUrl],
      [plain('plugin_key'), key],
      [plain('plugin_store_id'), storeId],
    ])}
    <p class="hint">${say('key_new_hint')}</p>
  </section>`
}

interface PluginsView extends Pick<ShownKey, 'storeId' | 'publicUrl'> {
  /** The address of the form for a key with the permissions that most plugins ask for. */
  readonly newKey: string
}

/** The values for a plugin's settings other than the key, on the page of the keys. */
export function storeForPlugins({ storeId, publicUrl, newKey }: PluginsView): Html {
  return html`<section class="card" aria-labelledby="plugins"><h2 id="plugins">${say('plugins')}</h2>
    <p>${say('plugins_about')}</p>
    ${pairs([
      [plain('plugin_server'), publicUrl],
      [plain('plugin_store_id'), storeId],
    ])}
    <p><a class="button" href="${newKey}">${say('plugin_new_key')}</a></p></section>`
}

function pairs(rows: readonly (readonly [term: string, text: string])[]): Html {
  return definitionList(rows.map(([term, text]) => [term, copyable(text, term)]))
}
