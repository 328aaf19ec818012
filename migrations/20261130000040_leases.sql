-- Several servers on one database.

-- A lease lives as long as its heartbeat is renewed. `beats` counts the renewals: whoever watches a node counts by its own
-- monotonic clock for how long the number has not moved, so that no two clocks are ever compared. `stopped_at` says that
-- the lease has ended, by an end in order or because somebody found the node silent for too long; from then on the node
-- commits nothing, until it has let go of everything and begins a new lease.
alter table nodes
    add column beats bigint not null default 0,
    -- Whether the node hears itself over the bus between the nodes.
    add column on_bus boolean not null default true;

-- What servers of one deployment call each other by, where several deployments share a bus.
create table deployment (
    only_one boolean primary key default true,
    id uuid not null default gen_random_uuid(),
    constraint deployment_only_one check (only_one)
);
insert into deployment default values;
grant select on deployment to stakeboard_server;
