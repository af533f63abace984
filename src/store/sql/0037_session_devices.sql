-- The browser that signed in, as it named itself, so that people recognize their sign-ins. Null: it gave no name, or an older build made the session.
alter table account_sessions add column device text;
