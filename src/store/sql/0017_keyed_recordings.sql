-- Of a recording that was begun under an Idempotency-Key: the hash of the request, by which a repeat finds it while it is uploaded.
alter table recordings add column request_hash text;
create unique index recordings_requests on recordings (request_hash) where status = 'uploading';
