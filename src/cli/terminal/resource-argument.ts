// A resource on the command line: `type` or `type:key`.

export interface AskedAbout {
  readonly type: string
  readonly key?: string
  readonly tenant?: string
}

/** What is asked about; keys may have colons. */
export function readResource(text: string, tenant: string | undefined): AskedAbout {
  const [type = '', key] = text.split(/:(.*)/s)
  return { type, ...(key === undefined ? {} : { key }), ...(tenant === undefined ? {} : { tenant }) }
}
