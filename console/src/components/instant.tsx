// An instant in the time zone and the words of the reader; in full when one points at it.
const short = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })

export function Instant({ value }: { readonly value: string | number }) {
  const date = new Date(value)
  return (
    <time dateTime={date.toISOString()} title={full.format(date)}>
      {short.format(date)}
    </time>
  )
}
