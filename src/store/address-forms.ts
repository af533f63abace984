/**
 * Normal forms of stored addresses, for migrations: an internationalised domain (UTS 46) cannot be folded in SQL, and a second
 * implementation would produce other forms than `foldEmail`.
 */
import { foldEmail } from "../model/text/email.ts"
import type { Queryable } from "./pool/statement.ts"

const BATCH = 5000

/**
 * Lists the stored addresses with another normal form in the temporary table `address_forms (spelling, form)`, until the transaction ends.
 */
export const listAddressForms = async (sql: Queryable): Promise<void> => {
  await sql`create temporary table address_forms (spelling text primary key, form text not null) on commit drop`
  let after = ""
  while (true) {
    // Among ASCII addresses only those with such domains have another form.
    const rows = await sql<{ email: string }[]>`
      select email from (
        select email from account_emails union select email from registrations union
        select email from users union select email from invites) stored
       where email collate "C" > ${after} and email ~ '[^\\x01-\\x7f]|xn--' order by email collate "C" limit ${BATCH}`
    const forms = rows.map(({ email }) => [email, foldEmail(email)] as const).filter(([email, form]) => email !== form)
    await sql`
      insert into address_forms (spelling, form)
      select spelling, form from unnest(${forms.map(([email]) => email)}::text[], ${forms.map(([, form]) => form)}::text[])
          as f(spelling, form)
       where form = lower(form)`
    const last = rows.at(-1)
    if (last === undefined || rows.length < BATCH) return
    after = last.email
  }
}
