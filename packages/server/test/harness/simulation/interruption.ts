/** Called before and after every call of a port or service: tests change the external state there. */
export type Interruption = (point: string) => void | Promise<void>

/** Wraps a service so that every method calls `at` before and after it. @param point default: the name of the method */
export function interrupted<T extends object>(service: T, at: Interruption, point?: string): T {
  return new Proxy(service, {
    get(target, name: keyof T & string) {
      const method = target[name] as (...args: unknown[]) => Promise<unknown>
      return async (...args: unknown[]) => {
        await at(`before ${point ?? name}`)
        const result = await method.apply(target, args)
        await at(`after ${point ?? name}`)
        return result
      }
    },
  })
}
