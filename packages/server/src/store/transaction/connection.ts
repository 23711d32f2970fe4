import type { DatabaseConnection } from 'kysely'

/** Kysely's streams are not supported. */
export class NonStreamingConnection {
  streamQuery(): never {
    throw new Error('the store does not stream: it reads in pages')
  }
}

/** A connection whose use by one use case can be limited and ended. */
export class RevocableConnection extends NonStreamingConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection
  #statementsLeft: number
  #ended = false
  #failure: { readonly error: unknown } | null = null

  constructor(connection: DatabaseConnection, statements = Number.POSITIVE_INFINITY) {
    super()
    this.#connection = connection
    this.#statementsLeft = statements
  }

  revoke(): void {
    this.#ended = true
  }

  rethrowFailure(): void {
    if (this.#failure) throw this.#failure.error
  }

  readonly executeQuery: DatabaseConnection['executeQuery'] = async (query, options) => {
    if (this.#ended) throw new Error('the transaction has ended')
    if (this.#statementsLeft-- === 0) throw new Error('a query is limited to one statement: use read')
    try {
      return await this.#connection.executeQuery(query, options)
    } catch (error) {
      this.#failure ??= { error }
      throw error
    }
  }
}
