-- The first hundred bring the pages in.
select write_batches(100) \g /dev/null
select pages, micros from write_batches(400);
