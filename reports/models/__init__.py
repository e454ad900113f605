"""The nouns of the application, from what is asked to what is shown.

A *use case* is a question; a *version* freezes how devices answer it; a *dictionary revision* lists the elements that
are counted. A *batch* is one upload, cut into *shards* (one version, locale, day and stream each). A *run* reads sealed
shards out in *parts*; a *read-out* is the exact result of one closed day; a *period* is what is released together of
them; a *histogram* is what people see of a window of periods. Where no dictionary is counted, a *discovery* says how
its words were found, and *decisions* sort them. What single devices send waits as *device records* until its day is
over. *Findings* tell why a batch is quarantined, *deletions* what raw reports are gone; *upload digests* and *record
fingerprints* recognise what is sent again. *Annotations*, *saved views*, *embed links* and *subscriptions* are what
people keep of their own, and *preferences* how they want pages; an *identity* is the name by which single sign-on knows
a person, a *web session* a browser that is logged in. A *product list* is a rule of what a product reads, and its
*versions* what owners approved. An *evaluation* tries parameters in parts. A *training task* is a model that devices
train, and a *training run* of it lets arrays out round by round. An *import* reads objects of a bucket, and *read
objects* recognises them; an *export* writes results out. A *known day* says how far the clock is believed.
"""

from reports.models.access import ApiToken, FailedLogins, Viewing
from reports.models.clock import KnownDay
from reports.models.dashboard import (
    Annotation,
    EmbedLink,
    EmbedViews,
    InboxMessage,
    Pin,
    SavedView,
    Subscription,
    Visit,
)
from reports.models.devices import DeviceKey, DeviceRecord, DroppedReports, MixedKeys, MixedRecords
from reports.models.dictionaries import DictionaryDraft, DictionaryEntry, DictionaryRevision
from reports.models.entries import Entry, HistogramEntries
from reports.models.evaluations import Evaluation, EvaluationPart
from reports.models.exports import Export, ExportPart
from reports.models.histograms import Discovery, Histogram, Period, PeriodTotal, ReadOut
from reports.models.imports import Import, ImportPart, ReadObject
from reports.models.jobs import Job, JobQuerySet, LeasedPart, OperatorAlert, WorkerHeartbeat, WorkerHost
from reports.models.people import Identity, Preferences, WebSession
from reports.models.product_lists import ProductList, ProductListVersion
from reports.models.quarantine import Finding, QuarantinedShard
from reports.models.recognition import RecordFingerprint, UploadDigest
from reports.models.runs import Part, Run
from reports.models.shards import Deletion, PendingFile, Sealing, Shard
from reports.models.simulations import Simulation, SimulationPart
from reports.models.training import (
    DeviceRound,
    TrainingFile,
    TrainingPart,
    TrainingRound,
    TrainingRun,
    TrainingTask,
    TrainingVersion,
)
from reports.models.uploads import Batch, IdempotencyKey
from reports.models.use_cases import BudgetGroup, UseCase
from reports.models.versions import Version
from reports.models.words import WordDecision
