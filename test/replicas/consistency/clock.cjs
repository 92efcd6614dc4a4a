// Loaded before a replica, in all of its threads: another wall clock, as on a machine whose time is wrong. Monotonic time stays as it is.
const offsetMs = Number(process.env.CLOCK_OFFSET_MS ?? 0)
const RealDate = Date
globalThis.Date = class ShiftedDate extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + offsetMs)
    else super(...parts)
  }

  static now() {
    return RealDate.now() + offsetMs
  }
}
