// An object whose every method runs under a guard.

export type Guard = <R>(run: () => R) => R

/** The same object; each call of a method goes through `guard`. */
export function guarded<T extends object>(of: T, guard: Guard): T {
  return new Proxy(of, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => guard(() => member.apply(target, args))
    },
  })
}
