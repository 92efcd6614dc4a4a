// Wraps an object so that every method call runs under a guard.

export type Guard = <R>(run: () => R) => R

/** A proxy of the object; each method call goes through `guard`. */
export function makeGuarded<T extends object>(object: T, guard: Guard): T {
  return new Proxy(object, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => guard(() => member.apply(target, args))
    },
  })
}
